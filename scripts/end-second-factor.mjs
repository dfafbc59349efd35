// `npm run end-second-factor -- ada@example.com`: installs missing packages, then disables two-factor sign-in for a
// lost phone.

import { ensureInstalled, findNode26, main, root, run } from './prepare.mjs'

await main(async () => {
  // Settings and the data folder are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  return run(findNode26(), ['server/access/second-factor/end.ts', ...process.argv.slice(2)])
})
