import type { ExportedRows, TableEntry } from './tables.ts'

// The tables of consents and suppressions, for the registry (tables.ts).

const byId: ExportedRows['key'] = [['id', 'uuid']]

export const consentTables: Readonly<Record<string, TableEntry>> = {
  consents: { of: 'store', person: { by: 'address_hash', dataKind: 'consents' }, export: { key: byId } },
  opt_in_requests: {
    of: 'store',
    person: { by: 'address_hash', dataKind: 'consents' },
    export: { none: 'whether a consent was to be confirmed; what was answered stands in consents' },
  },
  consent_overrides: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId } },
  capture_choices: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId } },
  consent_wordings: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: {
      key: [
        ['channel', 'text'],
        ['language', 'text'],
      ],
    },
  },
  consent_boxes: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { none: 'when a page was last seen' },
  },
  consent_box_counts: {
    of: 'store',
    person: { none: 'counts' },
    export: { none: 'counts of days; consents has each shopper’s own' },
  },
  consent_box_views: {
    of: 'store',
    person: { none: 'a keyed hash of a random name, for two days' },
    export: { none: 'clockwork' },
  },
  preference_wordings: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: { key: [['language', 'text']] },
  },
  consent_imports: {
    of: 'store',
    person: { none: 'an owner’s file; what of it is still kept is dropped with the person’s rows' },
    export: { key: byId, without: ['content'] },
  },
  consent_import_reviews: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: {
      key: [
        ['import_id', 'uuid'],
        ['id', 'uuid'],
      ],
    },
  },
  consent_import_errors: {
    of: 'store',
    person: { by: 'cells', dataKind: 'consents' },
    export: { none: 'rows of a file of the account’s own that became nothing; gone after a week' },
  },
  suppressions: { of: 'account', person: { by: 'account_hash', dataKind: 'suppressions' }, export: 'whole' },
  suppression_removals: { of: 'account', person: { by: 'account_hash', dataKind: 'suppressions' }, export: 'whole' },
  person_erasures: {
    of: 'account',
    person: { by: 'account_hash', dataKind: 'suppressions', without: ['encrypted'] },
    export: { none: 'what is kept of them names nobody' },
  },
}
