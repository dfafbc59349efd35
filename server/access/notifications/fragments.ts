// Fragments for statements that write notifications together with other rows.

export { insertNewsOfMessages, insertNotificationsFrom, noteRecoveries } from './sql.ts'
