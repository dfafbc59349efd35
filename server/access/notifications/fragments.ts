// A fragment for statements that write notifications together with other things.

export { insertNewsOfMessages, insertNotificationsFrom, noteRecoveries } from './sql.ts'
