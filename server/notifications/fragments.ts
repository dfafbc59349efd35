// A fragment for statements that write notifications together with other things.

export { insertNotificationsFrom, noteRecoveries } from './sql.ts'
