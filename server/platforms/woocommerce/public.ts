// What other rooms use.

export { woocommerce } from './platform.ts'
