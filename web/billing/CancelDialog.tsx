import { Text } from '@mantine/core'
import { type PlanKey, plans } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { counted } from '../ui/format.ts'
import { failureOf } from './failure.ts'
import { useCancel, useStoreRests } from './payment-queries.ts'
import { limitLines } from './rules.ts'

interface Props {
  opened: boolean
  plan: PlanKey
  onClose: () => void
  onCanceled: () => void
}

/** The question of A 5, and what is left afterwards. */
export function CancelDialog({ opened, plan, onClose, onCanceled }: Props) {
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
      problem={failureOf(cancel.error, billingTexts.failed.cancel)}
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
      <Text>{billingTexts.confirmCancel}</Text>
      <Text mt="sm">After that the account goes on with {plans.free.name}:</Text>
      <ul>
        {limitLines(plans.free.limits).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <StoresAfterwards />
    </Confirm>
  )
}

function StoresAfterwards() {
  const connected = useStoreRests().data?.stores.length ?? 0
  const tooMany = connected - plans.free.limits.maxStores
  if (tooMany <= 0) return null
  return (
    <Text>
      {counted(tooMany, 'store')} of the {connected} connected will rest then: capturing carts and syncing go on, and
      nothing is sent. You can choose which on this page.
    </Text>
  )
}
