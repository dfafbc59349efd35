// A message's recipient, and the open messages to that recipient.

export {
  findMessageRecipient,
  lockMessageShopper,
  readLanguage,
  setAddress,
  setUnsubscribed,
  skipOpenMessagesTo,
} from './track-sql.ts'
