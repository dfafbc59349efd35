import type { TableEntry } from './tables.ts'

// The tables of notifications, for the registry (tables.ts).

export const notificationTables: Readonly<Record<string, TableEntry>> = {
  pending_notifications: {
    of: 'store',
    person: { by: 'notice', dataKind: 'notices' },
    export: { none: 'a second on its way to notifications' },
  },
  pending_account_notifications: {
    of: 'account',
    person: { none: 'belongs to the account and receiving domains' },
    export: { none: 'a second on its way to account_notifications' },
  },
  notification_clocks: { of: 'account', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  notifications: {
    of: 'store',
    person: { by: 'notice', dataKind: 'notices', without: ['search'] },
    export: { key: [['id', 'uuid']], without: ['search'] },
  },
  notification_hours: { of: 'store', person: { none: 'totals only' }, export: { none: 'clockwork' } },
  recoveries_told: { of: 'store', person: { none: 'which carts, not whose' }, export: { none: 'clockwork' } },
  account_notifications: {
    of: 'account',
    person: { none: 'belongs to the account and receiving domains; their answers are kept without addresses' },
    export: 'whole',
  },
  notification_reads: {
    of: 'store',
    person: { none: 'belongs to the team' },
    export: { none: 'what each member has read' },
  },
  account_notification_reads: {
    of: 'account',
    person: { none: 'belongs to the team' },
    export: { none: 'what each member has read' },
  },
  notification_marks: {
    of: 'store',
    person: { none: 'belongs to the team' },
    export: { none: 'what each member has read' },
  },
  account_notification_marks: {
    of: 'account',
    person: { none: 'belongs to the team' },
    export: { none: 'what each member has read' },
  },
  notification_preferences: { of: 'account', person: { none: 'belongs to the team' }, export: 'whole' },
  weekly_report_choices: { of: 'account', person: { none: 'belongs to the team' }, export: 'whole' },
  notification_mails: { of: 'account', person: { none: 'belongs to the team' }, export: { none: 'clockwork' } },
}
