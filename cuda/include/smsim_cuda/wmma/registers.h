// Lists of registers as operands of assembly: `name`0, `name`1, ... are the elements of an array.
#pragma once

#define SMSIM_TEXT_1(name) "{%[" name "0]}"
#define SMSIM_TEXT_2(name) "{%[" name "0], %[" name "1]}"
#define SMSIM_TEXT_4(name) "{%[" name "0], %[" name "1], %[" name "2], %[" name "3]}"
#define SMSIM_TEXT_8(name)                                                                                             \
    "{%[" name "0], %[" name "1], %[" name "2], %[" name "3], %[" name "4], %[" name "5], %[" name "6], %[" name "7]}"

// One operand: its label in the text, the letter of its constraint, and what it is.
#define SMSIM_OUT(label, letter, what) [label] "=" letter(what)
#define SMSIM_IN(label, letter, what) [label] letter(what)

#define SMSIM_OUT_1(name, letter) SMSIM_OUT(name##0, letter, name[0])
#define SMSIM_OUT_2(name, letter) SMSIM_OUT_1(name, letter), SMSIM_OUT(name##1, letter, name[1])
#define SMSIM_OUT_4(name, letter)                                                                                      \
    SMSIM_OUT_2(name, letter), SMSIM_OUT(name##2, letter, name[2]), SMSIM_OUT(name##3, letter, name[3])
#define SMSIM_OUT_8(name, letter)                                                                                      \
    SMSIM_OUT_4(name, letter), SMSIM_OUT(name##4, letter, name[4]), SMSIM_OUT(name##5, letter, name[5]),               \
        SMSIM_OUT(name##6, letter, name[6]), SMSIM_OUT(name##7, letter, name[7])
#define SMSIM_IN_1(name, letter) SMSIM_IN(name##0, letter, name[0])
#define SMSIM_IN_2(name, letter) SMSIM_IN_1(name, letter), SMSIM_IN(name##1, letter, name[1])
#define SMSIM_IN_4(name, letter)                                                                                       \
    SMSIM_IN_2(name, letter), SMSIM_IN(name##2, letter, name[2]), SMSIM_IN(name##3, letter, name[3])
#define SMSIM_IN_8(name, letter)                                                                                       \
    SMSIM_IN_4(name, letter), SMSIM_IN(name##4, letter, name[4]), SMSIM_IN(name##5, letter, name[5]),                  \
        SMSIM_IN(name##6, letter, name[6]), SMSIM_IN(name##7, letter, name[7])
