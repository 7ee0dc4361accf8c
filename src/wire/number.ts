/** The grammar of a JSON number, one byte at a time. */

/** Where in a number; the bit `MAY_END` says whether the number may end there. */
export type NumberPlace = number;

const MAY_END = 8;
const SIGN = 0;
const ZERO = 1 | MAY_END;
const INTEGER = 2 | MAY_END;
const POINT = 3;
const FRACTION = 4 | MAY_END;
const EXPONENT = 5;
const EXPONENT_SIGN = 6;
const POWER = 7 | MAY_END;

const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const SMALL_E = 0x65;

export function isDigit(byte: number): boolean {
  return byte >= DIGIT_ZERO && byte <= DIGIT_NINE;
}

/** For a first byte that is a digit or a minus. */
export function startNumber(byte: number): NumberPlace {
  if (byte === MINUS) return SIGN;
  return byte === DIGIT_ZERO ? ZERO : INTEGER;
}

export function mayEnd(place: NumberPlace): boolean {
  return (place & MAY_END) !== 0;
}

/** The next place; undefined when the byte does not continue the number. */
export function continueNumber(place: NumberPlace, byte: number): NumberPlace | undefined {
  if (isDigit(byte)) return continueWithDigit(place, byte);
  if (byte === DOT) return place === ZERO || place === INTEGER ? POINT : undefined;
  // The bit that tells a small letter from a capital is set: both are meant.
  if ((byte | 0x20) === SMALL_E) return mayEnd(place) && place !== POWER ? EXPONENT : undefined;
  if (byte === PLUS || byte === MINUS) return place === EXPONENT ? EXPONENT_SIGN : undefined;
  return undefined;
}

function continueWithDigit(place: NumberPlace, byte: number): NumberPlace | undefined {
  if (place === ZERO) return undefined;
  if (place === SIGN) return startNumber(byte);
  if (place === POINT) return FRACTION;
  return place === EXPONENT || place === EXPONENT_SIGN ? POWER : place;
}
