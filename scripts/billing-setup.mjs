// `npm run billing:setup`: installs missing packages, then creates or checks products, prices and the webhook at
// Stripe.

import { ensureInstalled, main, node26, root, run } from './prepare.mjs'

await main(async () => {
  // Settings are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  return run(node26(), ['server/billing/payments/setup-main.ts', ...process.argv.slice(2)])
})
