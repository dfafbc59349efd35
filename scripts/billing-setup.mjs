// `npm run billing:setup`: installs missing packages, then creates or checks products, prices and the webhook at
// Stripe.

import { ensureInstalled, findNode26, main, root, run } from './prepare.mjs'

await main(async () => {
  // Settings are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  return run(findNode26(), ['server/billing/payments/setup-main.ts', ...process.argv.slice(2)])
})
