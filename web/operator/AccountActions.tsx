import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { OperatorAccount } from '../../shared/operator.ts'
import { formatBalance } from '../billing/credit-copy.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { CreditsDialog } from './CreditsDialog.tsx'
import { NoteDialog } from './NoteDialog.tsx'
import { PlanDialog } from './PlanDialog.tsx'
import { useResume, useSuspend, useView } from './queries.ts'

type OpenDialog = 'plan' | 'credits' | 'suspend' | 'resume' | null

/** Actions on an account; each is logged with its operator. */
export function AccountActions({ account }: { account: OperatorAccount & { creditMicros: number } }) {
  const { id, suspendedAt } = account
  const [asking, setAsking] = useState<OpenDialog>(null)
  const suspend = useSuspend(id)
  const resume = useResume(id)
  const view = useView(id)
  const close = () => setAsking(null)
  const doneWith = (words: string) => ({
    onSuccess: () => {
      announce(words)
      close()
    },
  })
  return (
    <>
      <Group gap="sm">
        <Button variant="default" onClick={() => setAsking('plan')}>
          Set plan
        </Button>
        <Button variant="default" onClick={() => setAsking('credits')}>
          Change credits
        </Button>
        {suspendedAt ? (
          <Button variant="default" onClick={() => setAsking('resume')}>
            Resume sending
          </Button>
        ) : (
          <Button variant="default" color="red" onClick={() => setAsking('suspend')}>
            Suspend sending
          </Button>
        )}
        <Button variant="default" loading={view.isPending} onClick={() => view.mutate(null)}>
          View as viewer
        </Button>
      </Group>
      {view.error && (
        <Notice tone="bad" isLive>
          {view.error.message}
        </Notice>
      )}
      {asking === 'plan' && (
        <PlanDialog accountId={id} plan={account.plan} isUnlimited={account.isUnlimited} opened onClose={close} />
      )}
      {asking === 'credits' && (
        <CreditsDialog accountId={id} balance={formatBalance(account.creditMicros)} opened onClose={close} />
      )}
      <NoteDialog
        opened={asking === 'suspend'}
        title="Suspend sending?"
        text="No message of this account leaves any more, and what is due waits. Its data stays, and its owners are told by mail."
        label="Reason"
        hint="The account reads this, with whom to write to."
        isRequired
        isDangerous
        confirmLabel="Suspend sending"
        mutation={suspend}
        onConfirm={(reason) => suspend.mutate(reason, doneWith('Sending is suspended'))}
        onClose={close}
      />
      <NoteDialog
        opened={asking === 'resume'}
        title="Resume sending?"
        text="What has waited and is not too late goes out. The owners are told."
        label="Note"
        hint="Only operators read it."
        confirmLabel="Resume sending"
        mutation={resume}
        onConfirm={(note) => resume.mutate(note, doneWith('Sending is resumed'))}
        onClose={close}
      />
    </>
  )
}
