import { Button, Checkbox, CopyButton, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { MAX_NAME_LENGTH } from '../../../shared/access/auth.ts'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { ApiError } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useCreateAccount } from './queries.ts'

const choices = [
  { value: '', label: 'As every new account' },
  ...(Object.keys(plans) as PlanKey[]).map((value) => ({ value, label: plans[value].name })),
]

/** Creates an account for an owner, then shows the owner's link. Mounted only while open. */
export function AccountDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [plan, setPlan] = useState('')
  const [isUnlimited, setUnlimited] = useState(false)
  const create = useCreateAccount()
  const fields = create.error instanceof ApiError ? create.error.fields : {}
  if (create.data) return <Created email={email} created={create.data} onClose={onClose} />
  return (
    <Confirm
      opened
      title="Create an account"
      confirmLabel="Create account"
      isBusy={create.isPending}
      isDisabled={email.trim() === '' || name.trim() === ''}
      problem={Object.keys(fields ?? {}).length > 0 ? undefined : create.error?.message}
      onConfirm={() => create.mutate({ email, name, planKey: (plan || null) as PlanKey | null, isUnlimited })}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>The owner gets a link to choose a password.</Text>
        <TextInput
          data-autofocus
          label="Owner’s email"
          type="email"
          autoComplete="off"
          value={email}
          error={fields?.email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label="Owner’s name"
          description="Also the name of the account"
          autoComplete="off"
          maxLength={MAX_NAME_LENGTH}
          value={name}
          error={fields?.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NativeSelect
          label="Plan"
          data={choices}
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value)}
        />
        {plan !== '' && (
          <Checkbox
            label="No limits"
            checked={isUnlimited}
            onChange={(event) => setUnlimited(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Confirm>
  )
}

interface CreatedProps {
  email: string
  created: NonNullable<ReturnType<typeof useCreateAccount>['data']>
  onClose: () => void
}

function Created({ email, created: { accountId, isNew, invitationUrl, isMailed }, onClose }: CreatedProps) {
  return (
    <Modal
      opened
      title={isNew ? 'Account created' : 'This owner has an account'}
      centered
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {invitationUrl ? (
          <>
            <Notice tone={isMailed ? 'good' : 'warn'}>
              {isMailed
                ? `A link to choose a password is on its way to ${email}. You can pass this one on as well.`
                : `No email was sent. Pass this link on to ${email}.`}{' '}
              It works once, for seven days.
            </Notice>
            <Group gap="sm" align="flex-end" wrap="nowrap">
              <TextInput label="Invitation link" readOnly value={invitationUrl} style={{ flex: 1 }} />
              <CopyButton value={invitationUrl}>
                {({ copied, copy }) => (
                  <Button variant="default" onClick={copy}>
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </>
        ) : (
          <Text>{email} can sign in already.</Text>
        )}
        <Group justify="space-between">
          <Link to={`/operator/${accountId}`}>Open the account</Link>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
