import {
  Button,
  Card,
  CopyButton,
  Group,
  Modal,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck, IconCopy, IconDownload, IconShieldCheck, IconShieldOff } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { User } from '../../../shared/access/auth.ts'
import { authTexts } from '../../../shared/access/auth.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  secondFactorTexts,
} from '../../../shared/access/second-factor.ts'
import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { ApiError, call, hasFieldError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { saveText } from '../../core/ui/saveText.ts'
import { DateTime } from '../../core/ui/Time.tsx'
import { CodeField } from './CodeField.tsx'
import { showPassword } from './fields.ts'
import { SubmitButton, useWait } from './wait.tsx'

const FEW = 3

/** Two-factor sign-in: off, being set up, on (decision 90). */
export function SecondFactorCard({ user }: { user: User }) {
  const factor = useSecondFactor()
  const [isSettingUp, setSettingUp] = useState(false)
  return (
    <Card>
      <Title order={2}>Two-factor sign-in</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Signing in also requires a code from your authenticator app.
      </Text>
      {isSettingUp ? (
        <SecondFactorSetup user={user} onClose={() => setSettingUp(false)} />
      ) : factor.isPending ? (
        <LoadingList count={1} />
      ) : factor.data?.isOn ? (
        <SecondFactorOn since={factor.data.since!} remaining={factor.data.recoveryCodesLeft} />
      ) : factor.data ? (
        <Group gap="md">
          <Button variant="default" onClick={() => setSettingUp(true)}>
            Set up
          </Button>
          <StatusBadge tone="quiet" icon={IconShieldOff} label="Off" />
        </Group>
      ) : (
        <Failed title="Two-factor sign-in could not be loaded" error={factor.error} onRetry={() => factor.refetch()} />
      )}
    </Card>
  )
}

function SecondFactorOn({ since, remaining }: { since: string; remaining: number }) {
  const [isEnding, setEnding] = useState(false)
  const [isRenewing, setRenewing] = useState(false)
  return (
    <>
      <Facts
        entries={[
          ['State', <StatusBadge key="on" tone="good" icon={IconShieldCheck} label="On" />],
          ['Since', <DateTime key="since" at={since} />],
          ['Recovery codes', `${formatCounted(remaining, 'code')} left`],
        ]}
      />
      {remaining <= FEW && (
        <div style={{ marginTop: 16 }}>
          <Notice tone="warn">
            {remaining === 0 ? 'No recovery codes left.' : 'Few recovery codes left.'} Create new ones to be able to
            sign in without your phone.
          </Notice>
        </div>
      )}
      <Group gap="sm" mt="lg">
        <Button variant="default" onClick={() => setRenewing(true)}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => setEnding(true)}>
          Switch off
        </Button>
      </Group>
      <RenewDialog opened={isRenewing} onClose={() => setRenewing(false)} />
      <EndDialog opened={isEnding} onClose={() => setEnding(false)} />
    </>
  )
}

interface Props {
  opened: boolean
  onClose: () => void
}

function EndDialog({ opened, onClose }: Props) {
  const end = useEndSecondFactor()
  const finish = () => {
    announce('Two-factor sign-in is off')
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={onClose} title="Switch off two-factor sign-in?">
      <ProofForm ask={end} label="Switch off" isDangerous onDone={finish} onClose={onClose}>
        Signing in will only require your password. Your recovery codes stop working.
      </ProofForm>
    </Dialog>
  )
}

function RenewDialog({ opened, onClose }: Props) {
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
          You get ten new codes. The old ones stop working.
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
    mutate: (input: Proof, callbacks: { onSuccess: (answer: Answer) => void; onError: (error: Error) => void }) => void
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
  const failure = wait.isOver(ask.error) || hasFieldError(ask.error as ApiError | null) ? null : ask.error
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

/** Three steps: password; QR code and a first code from the app; recovery codes. */
function SecondFactorSetup({ user, onClose }: { user: User; onClose: () => void }) {
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
        <ConfirmFirst what="set up two-factor sign-in" />
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
        Works with any app for one-time codes, such as a password manager or Google Authenticator.
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
  if (!error || isOver || hasFieldError(error as ApiError)) return null
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

/** Quiet zone in modules; cameras do not find the code without it. */
const BORDER = 4

/** Dark on light in every theme, which is what cameras read reliably. The content must also stand beside it as text. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useModules(text)
  if (rows === 'failed') return null
  if (!rows) return <Skeleton className="qr" />
  const size = rows.length
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path className="qr-ground" d={`M0 0h${size}v${size}h-${size}z`} />
      <path className="qr-modules" d={buildPath(rows)} />
    </svg>
  )
}

/** The library is loaded only where a code is shown. */
function useModules(text: string): boolean[][] | null | 'failed' {
  const [drawing, setDrawing] = useState<{ text: string; rows: boolean[][] | 'failed' } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const keep = (rows: boolean[][] | 'failed') => isCurrent && setDrawing({ text, rows })
    void import('qr')
      .then(({ encodeQR }) => keep(encodeQR(text, 'raw', { border: BORDER })))
      .catch(() => keep('failed'))
    return () => {
      isCurrent = false
    }
  }, [text])
  return drawing?.text === text ? drawing.rows : null
}

const buildPath = (rows: boolean[][]) =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')

/** Shown once: the server stores only hashes of the codes. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap="md">
      <h3 className="step-heading" ref={heading} tabIndex={-1}>
        Your recovery codes
      </h3>
      <Notice tone="warn">
        Store these codes where you can find them without your phone. They are shown only once. Each code signs you in
        once.
      </Notice>
      <ol className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <Group gap="sm">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              <span aria-live="polite">{copied ? 'Copied' : 'Copy codes'}</span>
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveText('recoup-recovery-codes.txt', text)}
        >
          Save as a file
        </Button>
        <Button onClick={onDone}>I’ve saved them</Button>
      </Group>
      <Text fz="xs" c="dimmed">
        If you lose your phone and your codes, only the server’s administrator can let you in.
      </Text>
    </Stack>
  )
}

const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call(readSecondFactor, { signal }),
})

const useSecondFactor = () => useQuery(secondFactorQuery)

const useBeginSecondFactor = () =>
  useMutation({ mutationFn: (password: string) => call(beginSecondFactor, { body: { password } }) })

const useConfirmSecondFactor = () => useChange((code: string) => call(confirmSecondFactor, { body: { code } }))

const useEndSecondFactor = () =>
  useChange((body: { password: string; code: string }) => call(endSecondFactor, { body }))

const useRenewRecoveryCodes = () =>
  useChange((body: { password: string; code: string }) => call(renewRecoveryCodes, { body }))

function useChange<Input, Answer>(ask: (input: Input) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: secondFactorQuery.queryKey }),
  })
}
