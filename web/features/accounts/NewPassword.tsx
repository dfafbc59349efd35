import './accounts.css'
import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useState } from 'react'
import { showPassword } from './fields.ts'
import { ratePassword } from './rules.ts'

interface Props extends PasswordInputProps {
  /** Words a password should not contain, such as the user's name. */
  known?: readonly string[]
}

/** Field for a new password with a strength meter. The meter's space is reserved, so the layout does not shift. */
export function NewPassword({ known = [], onChange, ...props }: Props) {
  const [typed, setTyped] = useState('')
  const { bars, word } = ratePassword(typed, known)
  return (
    <PasswordInput
      autoComplete="new-password"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...showPassword}
      {...props}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange?.(event)
      }}
      description={
        <span className="strength" data-bars={typed === '' ? undefined : bars}>
          <span className="strength-bars" aria-hidden>
            <i />
            <i />
            <i />
            <i />
          </span>
          <span aria-live="polite">{typed === '' ? 'At least 6 characters' : word}</span>
        </span>
      }
    />
  )
}
