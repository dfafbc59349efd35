import { isFullRun } from '../test/seed.ts'

// At the usual size tables are small and not vacuumed, and plans are generic: checks of plans would fail without a
// reason.
if (!isFullRun)
  throw new Error('Proofs run at full size: `npm run proofs -- plans`, or TEST_PROOF=1 for a single file.')
