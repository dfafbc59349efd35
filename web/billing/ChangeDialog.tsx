import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { MAX_EXTRA_STORES } from '../../shared/billing.ts'
import type { SubscriptionDetail } from '../../shared/payments.ts'
import { announce } from '../ui/announce.ts'
import { BankConfirmation } from './BankConfirmation.tsx'
import { ChangeProblem } from './ChangeProblem.tsx'
import { ChooseChange } from './ChooseChange.tsx'
import { ConfirmChange } from './ConfirmChange.tsx'
import { type Choice, parseChoice } from './change-copy.ts'
import { usePlanChange } from './usePlanChange.ts'

/**
 * Changes the plan of an account that pays by card (decision 85). State is in the address:
 * ?change=growth&cycle=year&stores=2.
 */
export function ChangeDialog({ detail }: { detail: SubscriptionDetail }) {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('change')
  const [opened, setOpened] = useState({ asked: null as string | null, turn: 0 })
  if (asked !== opened.asked) setOpened({ asked, turn: opened.turn + (asked ? 1 : 0) })
  const close = () =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        for (const key of ['change', 'cycle', 'stores']) next.delete(key)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <Modal
      opened={asked !== null}
      onClose={close}
      title="Change plan"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {asked !== null && (
        <Steps
          key={opened.turn}
          detail={detail}
          start={parseChoice({ plan: asked, cycle: search.get('cycle'), stores: search.get('stores') }, detail)}
          onClose={close}
        />
      )}
    </Modal>
  )
}

interface StepsProps {
  detail: SubscriptionDetail
  start: Choice
  onClose: () => void
}

/** Steps: choose, see the cost, confirm. */
function Steps({ detail, start, onClose }: StepsProps) {
  const [choice, setChoice] = useState(start)
  const it = usePlanChange(choice, (message) => {
    onClose()
    announce(message)
  })
  const problem = it.problem && (
    <ChangeProblem
      words={it.problem}
      isOther={it.isOther && it.shown !== null}
      isOfCard={it.isRefused && detail.canManage}
    />
  )
  if (it.bank) return <BankConfirmation {...it.bank} onClose={onClose} />
  if (!it.shown) {
    return (
      <ChooseChange
        detail={detail}
        choice={choice}
        most={MAX_EXTRA_STORES}
        isBusy={it.isLooking}
        problem={problem}
        onChoose={setChoice}
        onContinue={it.look}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmChange
      key={it.shown.token}
      choice={choice}
      preview={it.shown}
      isBusy={it.isChanging || it.isLooking}
      onConfirm={it.make}
      onBack={it.back}
    >
      {problem}
    </ConfirmChange>
  )
}
