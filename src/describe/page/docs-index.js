'use strict';
// The index of the documentation: open where the window is wide, and marked at the section that is read.
(() => {
  const narrow = matchMedia('(max-width: 60rem)');
  let links = new Map();
  let marked = null;
  let isPlanned = false;

  function prepare() {
    const list = document.getElementById('index');
    if (list === null) return;
    links = new Map([...list.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
    marked = null;
    list.open = !narrow.matches;
    list.addEventListener('click', ({ target }) => {
      if (narrow.matches && target.closest('a') !== null) list.open = false;
    });
    list.addEventListener('toggle', showMarked);
    planMark();
  }

  function resize() {
    const list = document.getElementById('index');
    if (list !== null) list.open = !narrow.matches;
    planMark();
  }

  /** Marks before the next frame, once for any number of events. */
  function planMark() {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      mark(links.get(readSection()?.id));
    });
  }

  /** The section at the upper edge of the window; at the end of the page the last one, or the target of the URL. */
  function readSection() {
    const { scrollHeight, clientHeight } = document.documentElement;
    if (scrollY > 0 && scrollY + clientHeight >= scrollHeight - 2) {
      const target = document.querySelector('main > section:target');
      if (target !== null && target.getBoundingClientRect().top < clientHeight) return target;
      return document.querySelector('main > section:last-of-type');
    }
    const main = document.querySelector('main').getBoundingClientRect();
    const edge = narrow.matches ? document.querySelector('nav').getBoundingClientRect().bottom : 0;
    const top = Math.max(edge, 0);
    if (main.top > top) return document.querySelector('main > section');
    for (const below of [24, 72, 144]) {
      const element = document.elementFromPoint(main.left + main.width / 2, top + below);
      const section = element?.closest('main > section');
      if (section) return section;
    }
    return null;
  }

  /** A place between two sections keeps the mark. */
  function mark(link) {
    if (link === undefined || link === marked) return;
    marked?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    marked = link;
    document.getElementById('here').textContent = link.textContent;
    showMarked();
  }

  /** Scrolls the index, and never the page. */
  function showMarked() {
    if (marked === null || marked.offsetParent === null) return;
    const nav = marked.closest('nav');
    const [list, link] = [nav.getBoundingClientRect(), marked.getBoundingClientRect()];
    const [above, below] = [link.top - list.top - 96, link.bottom - list.bottom + 48];
    if (above < 0) nav.scrollTop += above;
    else if (below > 0) nav.scrollTop += below;
  }

  narrow.addEventListener('change', resize);
  addEventListener('resize', planMark);
  addEventListener('scroll', planMark, { passive: true });
  document.addEventListener('contentshown', prepare);
  prepare();
})();
