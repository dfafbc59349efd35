import { TextInput } from '@mantine/core'
import { type ColourName, colourNames, labelOn } from '../../shared/brand.ts'
import { checkWhileChosen, describeContrast, toPickerColour } from './rules.ts'
import type { BrandFormState } from './useBrandForm.ts'

const labels: Record<ColourName, string> = {
  button: 'Button color',
  text: 'Text color',
  ground: 'Background color',
  accent: 'Link color',
}

export function ColourFields({ form, isFixed }: { form: BrandFormState; isFixed: boolean }) {
  return (
    <div className="brand-colours">
      {colourNames.map((name) => (
        <ColourField key={name} name={name} form={form} isFixed={isFixed} />
      ))}
    </div>
  )
}

interface Props {
  name: ColourName
  form: BrandFormState
  isFixed: boolean
}

/** Color input, typed or picked in the browser's picker. Shows the contrast while the color is chosen. */
function ColourField({ name, form, isFixed }: Props) {
  const value = form.values[name]
  const choose = (colour: string) => {
    form.setFieldValue(name, colour)
    // Changing another color may change this one's contrast.
    for (const each of colourNames) form.clearFieldError(each)
  }
  const words = name === 'ground' ? null : describeContrast(name, form.values)
  const live = form.errors[name] ?? checkWhileChosen(name, form.values)
  return (
    <div>
      <TextInput
        label={labels[name]}
        disabled={isFixed}
        spellCheck={false}
        autoComplete="off"
        value={value}
        error={live}
        description={words}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onChange={(event) => choose(event.currentTarget.value)}
        leftSection={
          <input
            type="color"
            className="brand-swatch"
            aria-label={`Pick the ${labels[name].toLowerCase()}`}
            value={toPickerColour(value)}
            disabled={isFixed}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        }
        leftSectionPointerEvents="all"
        leftSectionWidth={44}
      />
      {name === 'button' && words && (
        <span
          className="brand-button"
          style={{ background: toPickerColour(value), color: labelOn(toPickerColour(value)) }}
        >
          Button
        </span>
      )}
    </div>
  )
}
