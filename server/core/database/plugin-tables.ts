import type { TableEntry } from './tables.ts'

/** The tables of the shop plugin. */
export const pluginTables: Readonly<Record<string, TableEntry>> = {
  plugin_codes: { of: 'account', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  plugin_connections: { of: 'store', person: { none: 'belongs to the store' }, export: { none: 'secret' } },
  plugin_nonces: { of: 'store', person: { none: 'random' }, export: { none: 'clockwork' } },
  plugin_carts: {
    of: 'store',
    person: { none: 'a number of each session; what it said of boxes stands in consents' },
    export: { none: 'clockwork' },
  },
  plugin_goods: { of: 'store', person: { none: 'stock and prices' }, export: { none: 'clockwork' } },
}
