// What other rooms use.

export { sendNotificationMail } from './mails.ts'
