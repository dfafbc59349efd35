import { useId } from 'react'
import { chooseTheme, type ThemeName, themeNames, useTheme } from './theme-choice.ts'

const labels: Record<ThemeName, string> = { light: 'Light', dark: 'Dark', blue: 'Blue' }

/** Applies immediately and is remembered (A 2.8). */
export function ThemePicker() {
  const theme = useTheme()
  const name = useId()
  return (
    <fieldset className="themes">
      <legend className="visually-hidden">Theme</legend>
      {themeNames.map((each) => (
        <label key={each} className="theme-choice">
          <input
            type="radio"
            name={name}
            value={each}
            checked={theme === each}
            onChange={() => chooseTheme(each)}
            className="visually-hidden"
          />
          <span className="theme-picture" data-theme={each} aria-hidden>
            <span className="theme-side" />
            <span className="theme-page">
              <span className="theme-line" />
              <span className="theme-card">
                <span className="theme-button" />
              </span>
            </span>
          </span>
          <span className="theme-label">{labels[each]}</span>
        </label>
      ))}
    </fieldset>
  )
}
