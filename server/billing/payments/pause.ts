// For rooms that change something at Stripe.

export { isPaused } from './copy-sql.ts'
