import { type PlanKey, plans } from '../../shared/billing.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { ThenLite } from './ThenLite.tsx'

interface Props {
  opened: boolean
  current: PlanKey
  /** When it happens, in words; null: at once, as nothing is paid for a period. */
  end: string | null
  isBusy: boolean
  problem: string | undefined
  onConfirm: () => void
  onClose: () => void
}

/** Going back to the free plan is asked about, with when it happens and what it means (decision 122). */
export function LeavePaidPlan({ current, end, ...dialog }: Props) {
  const { name } = plans.free
  return (
    <Confirm {...dialog} title={`Change to ${name}?`} confirmLabel={`Change to ${name}`} isDangerous>
      <ThenLite plan={current} end={end} />
    </Confirm>
  )
}
