import { Button, Card, Container, Divider, Stack, Text, Title } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { secondFactorTexts } from '../../shared/second-factor.ts'
import { useInstance } from '../access/queries.ts'
import { useSession } from '../access/session.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CodeForm, type FirstStep } from './CodeForm.tsx'
import { ForgotForm } from './ForgotForm.tsx'
import { getErrorText, useDemoLogin } from './queries.ts'
import { SignInForm } from './SignInForm.tsx'

const headings = {
  login: ['Sign in', 'Welcome back.'],
  register: ['Create your account', 'Free to start. Nothing is sent until you switch it on.'],
  forgot: ['Reset your password', 'We send you a link to choose a new one.'],
  code: ['Two-factor sign-in', secondFactorTexts.codeNeeded],
} as const

/** One screen with three modes (A 2.5); the address selects sign-in or sign-up. Signing in may have a second step. */
export function SignInPage() {
  const { pathname } = useLocation()
  // An expired reset link redirects here to request a new one.
  const isAskedFor = useSearchParams()[0].has('forgot')
  const [isForgotten, setForgotten] = useState(isAskedFor)
  const [email, setEmail] = useState('')
  const { farewell } = useSession()
  const instance = useInstance()
  const isRegistering = pathname === '/register'
  const [given, setGiven] = useState<FirstStep | null>(null)
  const mode = isRegistering ? 'register' : isForgotten ? 'forgot' : given ? 'code' : 'login'
  const isDeleted = farewell === 'deleted' && mode === 'login'
  const [heading, text] = isDeleted ? ['Sign in', 'With another account.'] : headings[mode]
  return (
    <BarePage title={heading} actions={null}>
      <Container size={440} p={0}>
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
              <CodeForm given={given!} onBack={() => setGiven(null)} />
            ) : (
              <SignInForm
                key={mode}
                mode={mode}
                email={email}
                onEmail={setEmail}
                onForgot={() => setForgotten(true)}
                onCode={setGiven}
              />
            )}
            {instance?.hasDemo && (mode === 'login' || mode === 'register') && <DemoButton />}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

function DemoButton() {
  const demo = useDemoLogin()
  const { mutate } = demo
  // "Try the live demo" on the landing page links here with `?demo`, which signs in with one click.
  const isAsked = useSearchParams()[0].has('demo')
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!isAsked || hasBegun.current) return
    hasBegun.current = true
    mutate({ isRemembered: true })
  }, [isAsked, mutate])
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
