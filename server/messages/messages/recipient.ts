// A message's recipient, and the open messages to that recipient.

export { languageOf, lockShopperOf, messageOf, setAddress, setUnsubscribed, skipOpenTo } from './track-sql.ts'
