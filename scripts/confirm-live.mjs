// `npm run confirm-live`: installs missing packages, then confirms that this restored or moved Recoup is the live one.

import { ensureInstalled, main, node26, root, run } from './prepare.mjs'

await main(async () => {
  // Settings and the data folder are relative to the clone, wherever npm was called.
  process.chdir(root)
  await ensureInstalled()
  return run(node26(), ['server/workspace/instance/confirm.ts'])
})
