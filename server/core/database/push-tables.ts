import type { TableEntry } from './tables.ts'

// The tables of web push, for the registry (tables.ts).

export const pushTables: Readonly<Record<string, TableEntry>> = {
  push_keys: { of: 'store', person: { none: 'belongs to the store' }, export: { none: 'secret' } },
  push_subscriptions: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'browsers', without: ['endpoint_hash', 'encrypted', 'marks'] },
    export: { key: [['id', 'uuid']], without: ['endpoint_hash', 'encrypted', 'marks'] },
  },
  push_settings: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: [] } },
  push_prompts: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: [] } },
  push_wordings: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: [['id', 'text']] } },
  push_sightings: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { none: 'when a page was last seen' },
  },
}
