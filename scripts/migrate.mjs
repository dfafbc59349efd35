// `npm run migrate`: installs missing packages, then updates an external database.

import { ensureInstalled, findNode26, main, root, run } from './prepare.mjs'

await main(async () => {
  process.chdir(root)
  await ensureInstalled()
  return run(findNode26(), ['server/core/database/main.ts'])
})
