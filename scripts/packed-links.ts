// Makes the links of a published page work where it is read: in the registry and in `node_modules`.
import path from 'node:path';

/** A Markdown link or image, or an image in HTML, up to its target; or code, in which nothing is a link. */
const LINK =
  /^```.*?^```$|`[^`\n]*`(?!\])|(!?)(\[[^\]]*\]\(|<(?:img|source)\b[^>]*?\ssrc(?:set)?=")([^()\s"]+)(?=[)\s"])/gms;

/** The locations of the files of a page's repository. */
export interface PackedFiles {
  /** `https://github.com/owner/name` */
  readonly repository: string;
  /** Checks that the package contains a file or a folder. @param file path in the repository */
  readonly isPacked: (file: string) => boolean;
  readonly isFolder: (file: string) => boolean;
}

/**
 * A page whose relative links to files outside the package lead to the repository.
 *
 * @param file the path of the page in the repository
 */
export function withPackedLinks(page: string, file: string, files: PackedFiles): string {
  return page.replace(LINK, (link, image?: string, label?: string, target?: string) => {
    if (target === undefined || /^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(target)) return link;
    const [to = '', anchor] = target.split('#');
    const linked = path.posix.normalize(path.posix.join(path.posix.dirname(file), to));
    // Registries show a README without the other files.
    if (file !== 'README.md' && files.isPacked(linked)) return link;
    const kind = image === '!' || label?.startsWith('<') === true ? 'raw' : files.isFolder(linked) ? 'tree' : 'blob';
    const url = `${files.repository}/${kind}/HEAD/${linked.replace(/\/$/, '')}`;
    return `${image ?? ''}${label ?? ''}${anchor === undefined ? url : `${url}#${anchor}`}`;
  });
}
