// Contacts in three majors over the same rows: what version 3 is, and what versions 2 and 1 differ by. Serve it with:
// `restwright serve examples/contacts.ts`.
import { defineModel, resource } from '../src/index.ts';

const companies = resource({
  id: 'client',
  schema: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
});

const contacts = resource({
  id: 'client',
  schema: {
    type: 'object',
    required: ['first_name', 'last_name'],
    properties: {
      first_name: { type: 'string', minLength: 1 },
      last_name: { type: 'string', minLength: 1 },
      email: { type: 'string', format: 'email', 'x-unique': true },
      status: { type: 'string', enum: ['LEAD', 'CUSTOMER', 'FORMER'], default: 'LEAD' },
      address: { type: 'object', properties: { city: { type: 'string' }, country: { type: 'string' } } },
      language: { type: 'string', default: 'en' },
      company_id: { type: 'string', 'x-references': { resource: 'companies', inverse: 'contacts' } },
    },
  },
  state: {
    field: 'status',
    initial: 'LEAD',
    transitions: { LEAD: ['CUSTOMER', 'FORMER'], CUSTOMER: ['FORMER'], FORMER: ['CUSTOMER'] },
  },
  search: ['first_name', 'last_name'],
});

export default defineModel({
  name: 'crm',
  version: '3.0.0',
  // Clients that name no version were written for version 2.
  default_version: 2,
  resources: { companies, contacts },
  versions: {
    '2.1.0': {
      changes: [
        { resource: 'contacts', rename: { email_address: 'email' } },
        // Version 2 does not know the language: its writes keep it, and what it creates is in German.
        { resource: 'contacts', without: ['language'], fill: { language: 'de' } },
        { resource: 'contacts', values: { status: { new: 'LEAD', active: 'CUSTOMER', inactive: 'FORMER' } } },
        { resource: 'contacts', move: { city: 'address.city' } },
      ],
    },
    '1.4.0': {
      deprecated: '2026-06-01',
      sunset: '2027-06-01',
      changes: [
        { resource: 'contacts', collection: 'people', singular: 'person' },
        {
          resource: 'contacts',
          split: {
            name: {
              schema: { type: 'string', pattern: '^\\S+ \\S.*$' },
              into: ['first_name', 'last_name'],
              up(name: string) {
                const space = name.indexOf(' ');
                return { first_name: name.slice(0, space), last_name: name.slice(space + 1) };
              },
              down: ({ first_name: first, last_name: last }: Readonly<Record<string, string>>) => `${first} ${last}`,
            },
          },
        },
        // Version 1 had a fax number, which nobody has now.
        { resource: 'contacts', with: { fax: { schema: { type: 'string' } } } },
        { resource: 'companies', absent: true },
      ],
    },
    '0.9.0': { retired: true },
  },
});
