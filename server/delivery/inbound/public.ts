// What other rooms use: replies by SMS and WhatsApp.

export { channelHookRoutes } from './hook-routes.ts'
export { sendReply, tidyInbound } from './inbound.ts'
export { replyJob } from './jobs.ts'
export { fetchPrices } from './prices.ts'
