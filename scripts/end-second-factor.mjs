// `npm run end-second-factor -- ada@example.com`: prepares what is missing, then switches off the two-factor sign-in of who has lost their phone.

import { ensureInstalled, main, node26, root, run } from './prepare.mjs'

await main(async () => {
  // Settings and the data folder are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  return run(node26(), ['server/access/second-factor/end.ts', ...process.argv.slice(2)])
})
