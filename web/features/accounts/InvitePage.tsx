import { Card, Container, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { z } from 'zod'
import { authTexts } from '../../../shared/access/auth.ts'
import { roleText } from '../../../shared/access/roles.ts'
import { type readInvitation, teamTexts } from '../../../shared/workspace/team.ts'
import { useMe } from '../../core/access/queries.ts'
import { ApiError, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { useSession } from '../../core/session/session.ts'
import { productName } from '../../core/ui/brand.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingTitle } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { CodeField } from './CodeField.tsx'
import { showPassword } from './fields.ts'
import { NewPassword } from './NewPassword.tsx'
import { checkNewPassword } from './rules.ts'
import { useAcceptInvitation, useInvitation } from './team-queries.ts'
import { SubmitButton, useWait } from './wait.tsx'

type InvitationReply = z.output<typeof readInvitation.reply>

/** Target of an invitation link. Only the button accepts, because mail scanners follow links too. */
export function InvitePage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const invitation = useInvitation(token)
  return (
    <BarePage title="Invitation" actions={null}>
      <Container size={440} p={0}>
        <Card padding="xl">
          {invitation.data ? (
            <Invitation token={token} invited={invitation.data} />
          ) : token === '' || (invitation.error instanceof ApiError && invitation.error.code === 'invalid') ? (
            <Stack gap="lg">
              <Title order={1}>Invitation</Title>
              <Notice tone="bad">
                {teamTexts.invalidInvitation} <Link to="/">Go to {productName}</Link>
              </Notice>
            </Stack>
          ) : invitation.error ? (
            <Failed
              title="The invitation could not be loaded"
              error={invitation.error}
              onRetry={() => invitation.refetch()}
            />
          ) : (
            <LoadingTitle />
          )}
        </Card>
      </Container>
    </BarePage>
  )
}

function Invitation({ token, invited }: { token: string; invited: InvitationReply }) {
  const isSignedIn = useSession().token !== null
  return (
    <Stack gap="lg">
      <div>
        <Title order={1}>Join {invited.accountName}</Title>
        <Text c="dimmed" mt={4}>
          {invited.invitedBy ?? 'Someone'} invited {invited.email} as {invited.role}. {roleText[invited.role]}.
        </Text>
      </div>
      {isSignedIn && !invited.isYou && <OtherUser />}
      <AcceptForm token={token} invited={invited} />
    </Stack>
  )
}

function OtherUser() {
  const user = useMe()
  if (!user) return null
  return (
    <Notice tone="warn">
      You are signed in as {user.email}. Joining signs you in here as the invited person instead.
    </Notice>
  )
}

type Values = { name: string; password: string; repeated: string; code: string }

function AcceptForm({ token, invited }: { token: string; invited: InvitationReply }) {
  const { isKnown, isYou, email } = invited
  const accept = useAcceptInvitation()
  const navigate = useNavigate()
  const wait = useWait()
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '', repeated: '', code: '' },
    validate: (values: Values) => check(values, invited),
  })
  const [isCodeRequired, setCodeRequired] = useState(false)
  const submit = form.onSubmit(({ name, password, code }: Values) =>
    accept.mutate(
      { token, name, password, code, isRemembered: true },
      {
        onSuccess: () => navigate('/', { replace: true }),
        onError: (error) => {
          wait.note(error)
          if (!(error instanceof ApiError)) return
          form.setErrors(error.fields)
          if (error.code === 'second_factor') setCodeRequired(true)
        },
      },
    ),
  )
  const field = (name: keyof Values) => ({
    name,
    required: true,
    withAsterisk: false,
    key: form.key(name),
    ...form.getInputProps(name),
  })
  const isAtField = needsCode(accept.error) || hasFieldError(accept.error as ApiError | null)
  const failure = wait.isOver(accept.error) || isAtField ? null : accept.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label="Email" name="email" type="email" autoComplete="username" value={email} readOnly />
        {!isKnown && (
          <>
            <TextInput label="Your name" autoComplete="name" {...field('name')} />
            <NewPassword label="Password" known={[email.split('@')[0]!]} {...field('password')} />
            <PasswordInput
              label="Repeat password"
              autoComplete="new-password"
              {...showPassword}
              {...field('repeated')}
            />
          </>
        )}
        {isKnown && !isYou && (
          <PasswordInput
            label="Your password"
            description="The password of your existing account"
            autoComplete="current-password"
            {...showPassword}
            {...field('password')}
          />
        )}
        {isCodeRequired && <CodeField autoFocus {...field('code')} />}
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, authTexts.loginFailed)}
          </Notice>
        )}
        <SubmitButton label={`Join ${invited.accountName}`} isBusy={accept.isPending} waitS={wait.waitS} />
      </Stack>
    </form>
  )
}

/** The field that then appears explains itself. */
const needsCode = (error: Error | null) => error instanceof ApiError && error.code === 'second_factor'

function check(values: Values, { isKnown, isYou }: InvitationReply): Partial<Values> {
  if (isYou) return {}
  if (isKnown) return values.password === '' ? { password: authTexts.passwordRequired } : {}
  return {
    ...checkNewPassword(values),
    ...(values.name.trim() === '' && { name: authTexts.nameRequired }),
  }
}
