import { Text } from '@mantine/core'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { AfterPaidPlan } from './AfterPaidPlan.tsx'
import { getFailureText } from './failure.ts'
import { useCancel } from './payment-queries.ts'

interface Props {
  opened: boolean
  plan: PlanKey
  /** Formatted, such as " on Dec 6, 2026". */
  end: string
  onClose: () => void
  onCanceled: () => void
}

/** The confirmation of A 5, and what remains afterwards. */
export function CancelDialog({ opened, plan, end, onClose, onCanceled }: Props) {
  const cancel = useCancel()
  const close = () => {
    cancel.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title={`Cancel ${plans[plan].name}?`}
      confirmLabel="Cancel subscription"
      cancelLabel={`Keep ${plans[plan].name}`}
      isDangerous
      isBusy={cancel.isPending}
      problem={getFailureText(cancel.error, billingTexts.failed.cancel)}
      onConfirm={() =>
        cancel.mutate(undefined, {
          onSuccess: ({ message }) => {
            close()
            announce(message)
            onCanceled()
          },
        })
      }
      onClose={close}
    >
      <Text mb="sm">{billingTexts.confirmCancel}</Text>
      <AfterPaidPlan plan={plan} end={end} />
    </Confirm>
  )
}
