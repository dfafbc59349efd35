/** Sections of the specification that tests are tagged with: `test('…', { tags: ['A2.1'] }, …)`. `npm run spec` prints the table. */
export const SECTIONS = [
  'A1', 'A2.1', 'A2.2', 'A2.3', 'A2.4', 'A2.5', 'A2.6', 'A2.7', 'A2.8', 'A2.9', 'A2.10', 'A2.11', 'A2.12', 'A3',
  'A4.1', 'A4.2', 'A4.3', 'A4.4', 'A4.5', 'A4.6', 'A4.7', 'A5', 'A6', 'A7', 'A8', 'A9',
  'B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9',
]
