// Runs the Shopify store alone for development: node providers/shopify/main.ts [data file]
import { startShopifyStore } from './store.ts'

const store = await startShopifyStore({
  port: Number(process.env.DEMO_SHOPIFY_PORT ?? 3004),
  dataFile: process.argv[2] ?? ':memory:',
  allowedWebhookHosts: ['localhost', '127.0.0.1'],
})
console.log(`Shopify store: ${store.url}\nClient id: ${store.keys.clientId}\nClient secret: ${store.keys.clientSecret}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void store.stop()
  })
}
