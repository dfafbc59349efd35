import { Anchor, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link } from 'react-router'
import { authTexts } from '../../../shared/access/auth.ts'
import { ApiError, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { LegalLink } from '../../kits/page/LegalLinks.tsx'
import type { FirstStep } from './CodeForm.tsx'
import { showPassword } from './fields.ts'
import { NewPassword } from './NewPassword.tsx'
import { useLogin, useRegister } from './queries.ts'
import { checkSignIn, type SignInForm as Fields } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

type Values = Fields & { isRemembered: boolean }
type Form = ReturnType<typeof useSignInForm>['form']

interface Props {
  mode: 'login' | 'register'
  /** Input carried over from another mode of the screen. */
  email: string
  onEmail: (email: string) => void
  onForgot: () => void
  /** The password was correct and a second-factor code is required. */
  onCode: (firstStep: FirstStep) => void
  /** Whether everyone may register. */
  isOpen: boolean
}

export function SignInForm({ mode, email, onEmail, onForgot, onCode, isOpen }: Props) {
  const isRegistering = mode === 'register'
  const { form, signIn, submit, wait } = useSignInForm({ mode, email, onEmail, onCode })
  const failure = wait.isOver(signIn.error) || hasFieldError(signIn.error as ApiError | null) ? null : signIn.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isRegistering && <TextInput label="Name" autoComplete="name" {...getFieldProps(form, 'name')} />}
        <TextInput
          label="Email"
          type="email"
          inputMode="email"
          autoComplete={isRegistering ? 'email' : 'username'}
          autoCapitalize="none"
          spellCheck={false}
          {...getFieldProps(form, 'email')}
        />
        {isRegistering ? <NewPasswords form={form} /> : <Password form={form} />}
        <Group justify="space-between" gap="sm">
          <Checkbox
            label="Remember me"
            name="remember"
            key={form.key('isRemembered')}
            {...form.getInputProps('isRemembered', { type: 'checkbox' })}
          />
          {!isRegistering && (
            <Anchor component="button" type="button" fz="sm" onClick={onForgot}>
              Forgot password?
            </Anchor>
          )}
        </Group>
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, isRegistering ? authTexts.registrationFailed : authTexts.loginFailed)}
            {isRegistering && (failure as ApiError).code === 'conflict' && <KnownAddressHint onForgot={onForgot} />}
          </Notice>
        )}
        <SubmitButton
          label={isRegistering ? 'Create account' : 'Sign in'}
          isBusy={signIn.isPending}
          waitS={wait.waitS}
        />
        {isOpen && <OtherMode isRegistering={isRegistering} />}
      </Stack>
    </form>
  )
}

function useSignInForm({ mode, email, onEmail, onCode }: Omit<Props, 'onForgot' | 'isOpen'>) {
  const signIn = useLogin()
  const signUp = useRegister()
  const mutation = mode === 'register' ? signUp : signIn
  const wait = useWait()
  const [refused, setRefused] = useState<string | null>(null)
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { name: '', email, password: '', repeated: '', isRemembered: true },
    validate: (values: Values) => checkSignIn(mode, values),
    onValuesChange: (values) => {
      onEmail(values.email)
      // Attempts are limited per address, so another address need not wait.
      if (refused !== null && values.email.trim() !== refused) wait.clear()
    },
  })
  const onError = (error: Error, { email, password, isRemembered }: Values) => {
    if (!(error instanceof ApiError)) return
    if (error.code === 'second_factor') return onCode({ email, password, isRemembered })
    form.setErrors(error.fields)
    setRefused(form.getValues().email.trim())
    wait.note(error)
  }
  const submit = form.onSubmit((values: Values) =>
    mutation.mutate(values, { onError: (error) => onError(error, values) }),
  )
  return { form, signIn: mutation, submit, wait }
}

const getFieldProps = (form: Form, name: keyof Fields) => ({
  key: form.key(name),
  name,
  required: true,
  withAsterisk: false,
  ...form.getInputProps(name),
})

const Password = ({ form }: { form: Form }) => (
  <PasswordInput
    label="Password"
    autoComplete="current-password"
    {...showPassword}
    {...getFieldProps(form, 'password')}
  />
)

function NewPasswords({ form }: { form: Form }) {
  const { name, email } = form.getValues()
  return (
    <>
      <NewPassword label="Password" known={[name, email.split('@')[0]!]} {...getFieldProps(form, 'password')} />
      <PasswordInput
        label="Repeat password"
        autoComplete="new-password"
        {...showPassword}
        {...getFieldProps(form, 'repeated')}
      />
    </>
  )
}

/** Does not reveal whether the address has an account (its owner gets a mail), but offers the owner the next step. */
const KnownAddressHint = ({ onForgot }: { onForgot: () => void }) => (
  <Text fz="sm" mt={4}>
    If you already have an account,{' '}
    <Anchor component={Link} to="/login" inherit underline="always">
      sign in
    </Anchor>{' '}
    or{' '}
    <Anchor component={Link} to="/login" onClick={onForgot} inherit underline="always">
      reset your password
    </Anchor>
    .
  </Text>
)

function OtherMode({ isRegistering }: { isRegistering: boolean }) {
  return (
    <Text fz="sm" ta="center">
      {isRegistering ? 'Already have an account? ' : 'New here? '}
      <Anchor component={Link} to={isRegistering ? '/login' : '/register'} inherit underline="always">
        {isRegistering ? 'Sign in' : 'Create an account'}
      </Anchor>
      {isRegistering && (
        <Text span fz="xs" c="dimmed" display="block" mt="sm">
          By creating an account you agree to the{' '}
          <LegalLink page="terms" isUnderlined>
            terms
          </LegalLink>
          .
        </Text>
      )}
    </Text>
  )
}
