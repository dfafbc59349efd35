// Runs the demo store alone for development: node providers/woocommerce/main.ts [data file]
import { createKeyPair, startDemoStore } from './store.ts'

const keys = createKeyPair()
const port = Number(process.env.DEMO_STORE_PORT ?? 3001)
const store = await startDemoStore({
  port,
  dataFile: process.argv[2] ?? ':memory:',
  ...keys,
  allowedWebhookHosts: ['localhost', '127.0.0.1'],
})
console.log(`Demo store: ${store.url}\nConsumer key: ${keys.consumerKey}\nConsumer secret: ${keys.consumerSecret}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void store.stop()
  })
}
