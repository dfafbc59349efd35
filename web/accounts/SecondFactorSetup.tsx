import { Button, CopyButton, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { authTexts, type User } from '../../shared/auth.ts'
import { secondFactorTexts } from '../../shared/second-factor.ts'
import { ApiError } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { isSaidAtField, showPassword } from './fields.ts'
import { QrCode } from './QrCode.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { useBeginSecondFactor, useConfirmSecondFactor } from './second-factor-queries.ts'
import { SubmitButton, useWait } from './wait.tsx'

/** Three steps: password; QR code and a first code from the app; recovery codes. */
export function SecondFactorSetup({ user, onClose }: { user: User; onClose: () => void }) {
  const begin = useBeginSecondFactor()
  const confirm = useConfirmSecondFactor()
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recoveryCodes} onDone={onClose} />
  if (begin.data) return <ScanStep begun={begin.data} confirm={confirm} onClose={onClose} />
  return <PasswordStep user={user} begin={begin} onClose={onClose} />
}

interface PasswordProps {
  user: User
  begin: ReturnType<typeof useBeginSecondFactor>
  onClose: () => void
}

function PasswordStep({ user, begin, onClose }: PasswordProps) {
  const wait = useWait()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: (text: string) => (text === '' ? authTexts.passwordRequired : null) },
  })
  const submit = form.onSubmit(({ password }: { password: string }) =>
    begin.mutate(password, { onError: (error) => findNote(form, wait, error) }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={420}>
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordInput
          ref={first}
          name="password"
          label="Current password"
          autoComplete="current-password"
          {...showPassword}
          {...required}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Refusal error={begin.error} isOver={wait.isOver(begin.error)} />
        <Buttons label="Continue" isBusy={begin.isPending} waitS={wait.waitS} onClose={onClose} />
      </Stack>
    </form>
  )
}

interface ScanProps {
  begun: { secret: string; uri: string }
  confirm: ReturnType<typeof useConfirmSecondFactor>
  onClose: () => void
}

function ScanStep({ begun, confirm, onClose }: ScanProps) {
  const wait = useWait()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '' },
    validate: { code: (text: string) => (text.trim() === '' ? secondFactorTexts.codeNeeded : null) },
  })
  const submit = form.onSubmit(({ code }: { code: string }) =>
    confirm.mutate(code, { onError: (error) => findNote(form, wait, error) }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <h3 className="step-heading" ref={heading} tabIndex={-1}>
          Scan this with your authenticator app
        </h3>
        <div className="qr-row">
          <QrCode text={begun.uri} label="QR code for your authenticator app" />
          <TypedSecret secret={begun.secret} />
        </div>
        <TextInput
          name="code"
          label="Code the app shows now"
          description="Six digits, new every 30 seconds"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={40}
          maw={420}
          classNames={{ input: 'code-input' }}
          {...required}
          key={form.key('code')}
          {...form.getInputProps('code')}
        />
        <Refusal error={confirm.error} isOver={wait.isOver(confirm.error)} />
        <Buttons label="Switch on" isBusy={confirm.isPending} waitS={wait.waitS} onClose={onClose} />
      </Stack>
    </form>
  )
}

/** For an app on the same phone, and for users who cannot scan. */
function TypedSecret({ secret }: { secret: string }) {
  return (
    <Stack gap="xs" align="flex-start" miw={0}>
      <Text fz="sm">Or type this key into the app:</Text>
      <code className="typed-secret">{secret.match(/.{1,4}/g)!.join(' ')}</code>
      <CopyButton value={secret}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          >
            <span aria-live="polite">{copied ? 'Copied' : 'Copy key'}</span>
          </Button>
        )}
      </CopyButton>
      <Text fz="xs" c="dimmed">
        Any app for one-time codes works: those of password managers, Google Authenticator, Microsoft Authenticator,
        Aegis, and others.
      </Text>
    </Stack>
  )
}

const required = { required: true, withAsterisk: false }

function findNote(
  form: { setErrors: (errors: Record<string, string>) => void },
  wait: ReturnType<typeof useWait>,
  error: Error,
) {
  wait.note(error)
  if (error instanceof ApiError) form.setErrors(error.fields)
}

function Refusal({ error, isOver }: { error: Error | null; isOver: boolean }) {
  if (!error || isOver || isSaidAtField(error as ApiError)) return null
  return (
    <Notice tone="bad" isLive>
      {error.message}
    </Notice>
  )
}

interface ButtonsProps {
  label: string
  isBusy: boolean
  waitS: number | null
  onClose: () => void
}

const Buttons = ({ label, isBusy, waitS, onClose }: ButtonsProps) => (
  <Group gap="sm">
    <SubmitButton label={label} isBusy={isBusy} waitS={waitS} size="sm" />
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
  </Group>
)
