import { Anchor, TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'

/** Field for a code of the authenticator app, with autofill, or for a recovery code, which contains letters. */
export function CodeField({ autoFocus = false, ...props }: TextInputProps) {
  const [isRecovery, setRecovery] = useState(false)
  const [hasSwitched, setSwitched] = useState(false)
  const toggle = () => {
    setRecovery(!isRecovery)
    setSwitched(true)
  }
  return (
    <div>
      <TextInput
        key={String(isRecovery)}
        name="code"
        label={isRecovery ? 'Recovery code' : 'Code from your authenticator app'}
        description={isRecovery ? 'One of your ten codes. Each works once.' : 'Six digits, new every 30 seconds'}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={40}
        required
        withAsterisk={false}
        classNames={{ input: 'code-input' }}
        {...props}
        autoFocus={autoFocus || hasSwitched}
      />
      <Anchor component="button" type="button" fz="sm" mt={6} onClick={toggle}>
        {isRecovery ? 'Use the authenticator app instead' : 'Use a recovery code instead'}
      </Anchor>
    </div>
  )
}
