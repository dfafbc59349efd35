import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { AfterPaidPlan } from './AfterPaidPlan.tsx'

interface Props {
  opened: boolean
  current: PlanKey
  /** Effective date, formatted; null means immediately because no period is paid. */
  end: string | null
  isBusy: boolean
  problem: string | undefined
  onConfirm: () => void
  onClose: () => void
}

/** Confirms the return to the free plan with its date and consequences (decision 122). */
export function LeavePaidPlan({ current, end, ...dialog }: Props) {
  const { name } = plans.free
  return (
    <Confirm {...dialog} title={`Change to ${name}?`} confirmLabel={`Change to ${name}`} isDangerous>
      <AfterPaidPlan plan={current} end={end} />
    </Confirm>
  )
}
