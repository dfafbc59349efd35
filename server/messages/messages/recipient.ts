// Who a message went to, and what is still open to them.

export { languageOf, lockShopperOf, messageOf, setAddress, setUnsubscribed, skipOpenTo } from './track-sql.ts'
