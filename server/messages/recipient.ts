// Who a message went to, and what is still open to them.

export { languageOf, lockShopperOf, messageOf, setUnsubscribed, skipOpenTo } from './track-sql.ts'
