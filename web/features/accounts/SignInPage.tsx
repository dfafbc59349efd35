import './accounts.css'
import { Anchor, Button, Card, Container, Divider, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCircleCheck, IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { authTexts } from '../../../shared/access/auth.ts'
import { secondFactorTexts } from '../../../shared/access/second-factor.ts'
import { useInstance } from '../../core/access/queries.ts'
import { ApiError, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { useSession } from '../../core/session/session.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { CodeField } from './CodeField.tsx'
import type { FirstStep } from './CodeForm.tsx'
import { useDemoLogin, useForgotPassword, useLogin } from './queries.ts'
import { checkSignIn } from './rules.ts'
import { SignInForm } from './SignInForm.tsx'
import { SubmitButton, useWait } from './wait.tsx'

const headings = {
  login: ['Sign in', 'Welcome back.'],
  register: ['Create your account', 'Free to start. Nothing is sent until you switch it on.'],
  forgot: ['Reset your password', 'We’ll email you a link to choose a new one.'],
  code: ['Two-factor sign-in', secondFactorTexts.codeNeeded],
} as const

const closedHeadings = { invite: 'By invitation', closed: 'Registration is closed' } as const

/** One screen with three modes (A 2.5); the address selects sign-in or sign-up. Signing in may have a second step. */
export function SignInPage() {
  const { pathname } = useLocation()
  // An expired reset link redirects here to request a new one.
  const hasForgotParam = useSearchParams()[0].has('forgot')
  const [isForgotten, setForgotten] = useState(hasForgotParam)
  const [email, setEmail] = useState('')
  const { farewell } = useSession()
  const instance = useInstance()
  const isRegistering = pathname === '/register'
  const [firstStep, setFirstStep] = useState<FirstStep | null>(null)
  const mode = isRegistering ? 'register' : isForgotten ? 'forgot' : firstStep ? 'code' : 'login'
  const isDeleted = farewell === 'deleted' && mode === 'login'
  const registration = instance?.registration ?? 'open'
  if (isRegistering && registration !== 'open') return <NoRegistration registration={registration} />
  const [heading, text] = isDeleted ? ['Sign in', 'With another account.'] : headings[mode]
  return (
    <BarePage title={heading} actions={null} size={980}>
      <div className="sign-in">
        <Container size={440} p={0} w="100%">
          {farewell === 'expired' && mode === 'login' && (
            <div style={{ marginBottom: 16 }}>
              <Notice tone="warn" isLive>
                {authTexts.sessionExpired}
              </Notice>
            </div>
          )}
          {isDeleted && (
            <div style={{ marginBottom: 16 }}>
              <Notice tone="good" isLive>
                {authTexts.accountDeleted}
              </Notice>
            </div>
          )}
          <Card padding="xl">
            <Stack gap="lg">
              <div>
                <Title order={1}>{heading}</Title>
                <Text c="dimmed" mt={4}>
                  {text}
                </Text>
              </div>
              {mode === 'forgot' ? (
                <ForgotForm email={email} onEmail={setEmail} onBack={() => setForgotten(false)} />
              ) : mode === 'code' ? (
                <CodeForm firstStep={firstStep!} onBack={() => setFirstStep(null)} />
              ) : (
                <SignInForm
                  key={mode}
                  mode={mode}
                  email={email}
                  onEmail={setEmail}
                  onForgot={() => setForgotten(true)}
                  onCode={setFirstStep}
                  isOpen={registration === 'open'}
                />
              )}
              {instance?.hasDemo && (mode === 'login' || mode === 'register') && <DemoButton />}
            </Stack>
          </Card>
        </Container>
        <Proof />
      </div>
    </BarePage>
  )
}

/** In place of the sign-up form, where not everyone may register. */
function NoRegistration({ registration }: { registration: 'invite' | 'closed' }) {
  const instance = useInstance()
  const support = instance?.supportEmail
  return (
    <BarePage title={closedHeadings[registration]} actions={null}>
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>{closedHeadings[registration]}</Title>
            <Text>
              {registration === 'closed' ? authTexts.registrationClosed : authTexts.registrationByInvitation}{' '}
              {registration === 'invite' && (
                <>
                  Open the link of your invitation, or write to{' '}
                  <Anchor underline="always" href={`mailto:${support}`}>
                    {support}
                  </Anchor>{' '}
                  to ask for one.
                </>
              )}
            </Text>
            <Button component={Link} to="/login">
              Sign in
            </Button>
            {instance?.hasDemo && <DemoButton />}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

/** Beside the form on wide screens: the checks of docs/engine.md, in their order. */
const Proof = () => (
  <aside className="proof" aria-labelledby="proof">
    <h2 id="proof">“Why was this sent, or not?”</h2>
    <ol>
      {checks.map((check) => (
        <li key={check}>
          <IconCircleCheck size={20} aria-hidden />
          {check}
        </li>
      ))}
    </ol>
    <p>Every message is checked when it is due. Its record shows each check.</p>
  </aside>
)

const checks = [
  'The cart is still abandoned',
  'The address is not unsubscribed',
  'The law of the shopper’s country allows it',
  'The store’s orders, read this minute, show no purchase',
  'The frequency cap is not reached',
]

function DemoButton() {
  const demo = useDemoLogin()
  const { mutate } = demo
  // "Try the live demo" on the landing page links here with `?demo`, which signs in with one click.
  const hasDemoParam = useSearchParams()[0].has('demo')
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!hasDemoParam || hasBegun.current) return
    hasBegun.current = true
    mutate({ isRemembered: true })
  }, [hasDemoParam, mutate])
  return (
    <Stack gap="md">
      <Divider label="or look around first" labelPosition="center" />
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={demo.isPending}
        onClick={() => demo.mutate({ isRemembered: true })}
      >
        Try the live demo
      </Button>
      {demo.error && (
        <Notice tone="bad" isLive>
          {getErrorText(demo.error, authTexts.loginFailed)}
        </Notice>
      )}
    </Stack>
  )
}

interface Props {
  email: string
  onEmail: (email: string) => void
  onBack: () => void
}

function ForgotForm({ email, onEmail, onBack }: Props) {
  const { form, forgot, submit, wait } = useForgotForm(email, onEmail)
  const field = useRef<HTMLInputElement>(null)
  // The button that had the focus is gone; move the focus to the field.
  useEffect(() => field.current?.focus(), [])
  const failure = wait.isOver(forgot.error) || hasFieldError(forgot.error as ApiError | null) ? null : forgot.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={field}
          label="Email"
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, authTexts.forgotFailed)}
          </Notice>
        )}
        {forgot.data && (
          <Notice tone="good" isLive>
            {forgot.data.message}
          </Notice>
        )}
        <SubmitButton
          label={forgot.data ? 'Send another link' : 'Send reset link'}
          isBusy={forgot.isPending}
          waitS={wait.waitS}
        />
        <Button variant="subtle" onClick={onBack}>
          Back to sign-in
        </Button>
      </Stack>
    </form>
  )
}

function useForgotForm(email: string, onEmail: (email: string) => void) {
  const forgot = useForgotPassword()
  const wait = useWait()
  const [requestedFor, setRequestedFor] = useState<string | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email, password: '', repeated: '' },
    validate: (values) => checkSignIn('forgot', values),
    onValuesChange: (values) => {
      onEmail(values.email)
      if (requestedFor === null || values.email.trim() === requestedFor) return
      // The answer was about the previous address, and links are limited per address.
      setRequestedFor(null)
      forgot.reset()
      wait.clear()
    },
  })
  const submit = form.onSubmit(({ email }: { email: string }) => {
    setRequestedFor(email.trim())
    const onError = (error: Error) => {
      wait.note(error)
      if (error instanceof ApiError) form.setErrors(error.fields)
    }
    forgot.mutate(email, { onError })
  })
  return { form, forgot, submit, wait }
}

/** The second step of signing in (decision 90). */
function CodeForm({ firstStep, onBack }: { firstStep: FirstStep; onBack: () => void }) {
  const signIn = useLogin()
  const wait = useWait()
  const support = useInstance()?.supportEmail
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '' },
    validate: { code: (text: string) => (text.trim() === '' ? secondFactorTexts.codeNeeded : null) },
  })
  const submit = form.onSubmit(
    ({ code }: { code: string }) =>
      signIn.mutate(
        { ...firstStep, code },
        {
          onError: (error) => {
            wait.note(error)
            if (error instanceof ApiError) form.setErrors(error.fields)
            field.current?.select()
          },
        },
      ),
    () => field.current?.focus(),
  )
  const failure = wait.isOver(signIn.error) || hasFieldError(signIn.error as ApiError | null) ? null : signIn.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <CodeField autoFocus ref={field} key={form.key('code')} {...form.getInputProps('code')} />
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, authTexts.loginFailed)}
          </Notice>
        )}
        <SubmitButton label="Sign in" isBusy={signIn.isPending} waitS={wait.waitS} />
        <Text fz="sm" ta="center">
          <Anchor component="button" type="button" inherit onClick={onBack}>
            Back to sign-in
          </Anchor>
          {support && (
            <Text span fz="xs" c="dimmed" display="block" mt="sm">
              No phone and no recovery codes? Write to {support}.
            </Text>
          )}
        </Text>
      </Stack>
    </form>
  )
}
