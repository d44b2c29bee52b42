import process from 'node:process';
import { NotesApi } from './typescript-fetch/apis/index.js';
import { type NoteFilters, NoteFiltersToJSON, type NotePage } from './typescript-fetch/models/index.js';
import { Configuration, type HTTPQuery, querystring, ResponseError } from './typescript-fetch/runtime.js';

// The generated client would write filters[text_00]: it knows no objects whose members are parameters.
const queryParamsStringify = ({ filters = {}, ...rest }: HTTPQuery): string =>
  querystring({ ...rest, ...JSON.parse(JSON.stringify(NoteFiltersToJSON(filters as NoteFilters))) });
const notes = new NotesApi(new Configuration({ basePath: process.env['API_ORIGIN'] ?? '', queryParamsStringify }));

const created = [];
for (const text00 of ['ash', 'birch', 'cedar']) {
  created.push(await notes.createNote({ noteCreate: { text00, text39: 'tree' } }));
}
const page: NotePage = await notes.listNotes({
  limit: 5,
  sort: ['-text_00'],
  filters: { text00Gte: 'b', text39: 'tree' },
});
const [first] = created;
if (first === undefined) throw new Error('nothing was created');
const change = { id: first.id, ifMatch: `"${first.revision}"` };
const changed = await notes.patchNote({ ...change, notePatch: { text00: 'aspen' } });
const status = await notes.patchNote({ ...change, notePatch: { text00: 'alder' } }).then(
  () => 0,
  (error: unknown) => (error instanceof ResponseError ? error.response.status : 0),
);
process.stdout.write(
  `${page.data.map(({ text00 }) => text00).join()} ${changed?.text00} ${changed?.text39} ${status}\n`,
);
