// What other rooms use.

export { shopify } from './platform.ts'
