import { findRightsProblems } from '../../../shared/access/store-problems.ts'
import { useStore } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'

/** Decision 135: figures count only the orders that could be read. */
export function OrdersMissing() {
  const missing = findRightsProblems(useStore()?.rights ?? null).find(({ code }) => code === 'orders')
  return missing ? (
    <Notice tone="info" title="Orders of the last 60 days before connecting">
      {missing.sentence} {missing.nextStep}
    </Notice>
  ) : null
}
