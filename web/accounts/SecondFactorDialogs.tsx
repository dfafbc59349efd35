import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { authTexts } from '../../shared/auth.ts'
import { secondFactorTexts } from '../../shared/second-factor.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { CodeField } from './CodeField.tsx'
import { isSaidAtField, showPassword } from './fields.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { useEndSecondFactor, useRenewRecoveryCodes } from './second-factor-queries.ts'
import { SubmitButton, useWait } from './wait.tsx'

interface Props {
  opened: boolean
  onClose: () => void
}

export function EndDialog({ opened, onClose }: Props) {
  const end = useEndSecondFactor()
  const done = () => {
    announce('Two-factor sign-in is off')
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={onClose} title="Switch off two-factor sign-in?">
      <ProofForm ask={end} label="Switch off" isDangerous onDone={done} onClose={onClose}>
        Signing in then asks for your password alone, and your recovery codes stop working.
      </ProofForm>
    </Dialog>
  )
}

export function RenewDialog({ opened, onClose }: Props) {
  const renew = useRenewRecoveryCodes()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = () => {
    setCodes(null)
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={close} title="New recovery codes">
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : (
        <ProofForm
          ask={renew}
          label="Make new codes"
          onDone={({ recoveryCodes }) => setCodes(recoveryCodes)}
          onClose={close}
        >
          You get ten new ones. The earlier ones stop working.
        </ProofForm>
      )}
    </Dialog>
  )
}

const Dialog = ({ opened, onClose, title, children }: Props & { title: string; children: ReactNode }) => (
  <Modal opened={opened} onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': 'Close' }}>
    {children}
  </Modal>
)

interface Proof {
  password: string
  code: string
}

interface FormProps<Answer> {
  ask: {
    mutate: (given: Proof, ways: { onSuccess: (answer: Answer) => void; onError: (error: Error) => void }) => void
    error: Error | null
    isPending: boolean
  }
  label: string
  isDangerous?: boolean
  onDone: (answer: Answer) => void
  onClose: () => void
  children: ReactNode
}

/** Both actions need the password and a code, because the screen may have been left open. */
function ProofForm<Answer>({ ask, label, isDangerous, onDone, onClose, children }: FormProps<Answer>) {
  const wait = useWait()
  const form = useForm<Proof>({
    mode: 'uncontrolled',
    initialValues: { password: '', code: '' },
    validate: {
      password: (text: string) => (text === '' ? authTexts.passwordRequired : null),
      code: (text: string) => (text.trim() === '' ? secondFactorTexts.codeNeeded : null),
    },
  })
  const onError = (error: Error) => {
    wait.note(error)
    if (error instanceof ApiError) form.setErrors(error.fields)
  }
  const submit = form.onSubmit((values: Proof) => ask.mutate(values, { onSuccess: onDone, onError }))
  const failure = wait.isOver(ask.error) || isSaidAtField(ask.error as ApiError | null) ? null : ask.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <div>{children}</div>
        <PasswordInput
          data-autofocus
          name="password"
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...showPassword}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <CodeField key={form.key('code')} {...form.getInputProps('code')} />
        {failure && (
          <Notice tone="bad" isLive>
            {failure.message}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton
            label={label}
            isBusy={ask.isPending}
            waitS={wait.waitS}
            size="sm"
            {...(isDangerous && { color: 'red' })}
          />
        </Group>
      </Stack>
    </form>
  )
}
