// Issues with a number per project, at most five open ones in each. Serve it: `restwright serve examples/tracker.ts`.
import { defineModel, refuse, resource } from '../src/index.ts';
import type { HookRows } from '../src/exports/model.ts';

const MAX_OPEN = 5;

/** Counts the open issues that the project already has. The write is made only if no issue has changed since. */
async function refuseSixth(rows: HookRows, projectId: string): Promise<void> {
  const open = await rows.count('issues', { project_id: projectId, status: 'OPEN' });
  if (open >= MAX_OPEN) {
    refuse('CONFLICT', `The project has ${open} open issues; close one of them first.`, [
      { field: 'status', message: `is OPEN in at most ${MAX_OPEN} issues of a project` },
    ]);
  }
}

const projects = resource({
  id: 'client',
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      last_number: { type: 'integer', default: 0, readOnly: true },
    },
  },
});

const issues = resource({
  schema: {
    type: 'object',
    required: ['project_id', 'title'],
    properties: {
      project_id: { type: 'string', 'x-references': 'projects', 'x-immutable': true },
      number: { type: 'integer', readOnly: true },
      title: { type: 'string', minLength: 1 },
      status: { type: 'string', enum: ['OPEN', 'CLOSED'], default: 'OPEN' },
    },
  },
  unique: [['project_id', 'number']],
  indexes: [['project_id', 'status']],
  before: {
    async create(issue, { system, writes }) {
      const project = await system.get('projects', issue.project_id);
      // A project that does not exist is reported like every reference to nothing.
      if (project === null) return issue;
      if (issue.status === 'OPEN') await refuseSixth(system, issue.project_id);
      const number = Number(project['last_number']) + 1;
      await writes.update('projects', issue.project_id, { last_number: number });
      return { ...issue, number };
    },
    async update(issue, { system }, current) {
      if (issue.status === 'OPEN' && current.status !== 'OPEN') await refuseSixth(system, issue.project_id);
      return issue;
    },
  },
});

export default defineModel({ name: 'tracker', resources: { projects, issues } });
