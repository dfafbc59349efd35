import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { authTexts } from '../../shared/auth.ts'
import { Notice } from '../ui/Notice.tsx'
import { useForgotPassword, wordsOf } from './queries.ts'
import { checkSignIn } from './rules.ts'

export function ForgotForm({ onBack }: { onBack: () => void }) {
  const forgot = useForgotPassword()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '', repeated: '' },
    validate: (values) => checkSignIn('forgot', values),
  })
  return (
    <form onSubmit={form.onSubmit(({ email }: { email: string }) => forgot.mutate(email))} noValidate>
      <Stack gap="md">
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          data-autofocus
          required
          withAsterisk={false}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        {forgot.error && (
          <Notice tone="bad" isLive>
            {wordsOf(forgot.error, authTexts.forgotFailed)}
          </Notice>
        )}
        {forgot.data && (
          <Notice tone="good" isLive>
            {forgot.data.message}
          </Notice>
        )}
        <Button type="submit" size="md" loading={forgot.isPending}>
          Send reset link
        </Button>
        <Button variant="subtle" onClick={onBack}>
          Back to sign-in
        </Button>
      </Stack>
    </form>
  )
}
