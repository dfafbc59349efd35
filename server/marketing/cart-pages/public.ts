// What other rooms use: list and page of carts.

export { readMessagesOfShopper } from './messages.ts'
export { toDecimal } from './present.ts'
export { cartRoutes } from './routes.ts'
