import type { Resource } from '../model/model.ts';

/** The types of a resource's events. */
export function typesOf({ events, singular }: Pick<Resource, 'events' | 'singular'>): readonly string[] {
  switch (events) {
    case 'none':
      return [];
    case 'disabled':
      return [`${singular}.disabled`];
    case 'thin':
    case 'full':
      return ['created', 'updated', 'deleted'].map((verb) => `${singular}.${verb}`);
  }
}
