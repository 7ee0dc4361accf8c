/** The version in package.json, put in by the build. */
declare const __VERSION__: string;

export const VERSION: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0';
