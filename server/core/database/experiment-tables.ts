import type { TableEntry } from './tables.ts'

// The tables of experiments, for the registry (tables.ts).

export const experimentTables: Readonly<Record<string, TableEntry>> = {
  experiments: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: { key: [['id', 'uuid']], without: ['salt'] },
  },
  assignments: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'groups', without: ['keys'] },
    export: {
      key: [
        ['experiment_id', 'uuid'],
        ['id', 'uuid'],
      ],
      without: ['keys'],
    },
  },
  experiment_days: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from assignments' } },
}
